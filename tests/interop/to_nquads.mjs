// Reads the path of a JSON-LD document on standard input and prints its N-Quads; fetches nothing.
import {readFileSync} from 'node:fs';
import jsonld from 'jsonld';

const documentLoader = url => {
  throw new Error(`nothing may be fetched, and ${url} was asked for`);
};
const path = readFileSync(0, 'utf8').trim();
const document = JSON.parse(readFileSync(path, 'utf8'));
process.stdout.write(await jsonld.toRDF(document, {format: 'application/n-quads', documentLoader, safe: true}));

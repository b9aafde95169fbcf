// From this version on a sealed record may have its commitments in the place of its core; the schema stays as it is.

// What a model answered about turns, to be asked no second time; a turn that lost its content meanwhile gets none.
UNWIND $rows AS row
MATCH (m:Memory {ref: row.ref}) WHERE m.content IS NOT NULL
SET m.answer = row.answer
RETURN count(*) AS updated

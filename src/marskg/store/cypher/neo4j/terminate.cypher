// Ends the transaction in which a statement of a user's policy took too long.
SHOW TRANSACTIONS YIELD transactionId AS found, metaData
WHERE metaData['marskg'] = $mark
TERMINATE TRANSACTIONS found YIELD message
RETURN message

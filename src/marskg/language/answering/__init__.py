"""Which kind of answer a question asks for, and which kinds a text has."""

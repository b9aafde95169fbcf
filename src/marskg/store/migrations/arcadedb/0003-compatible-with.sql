-- What a person decided about two memories: that they do not contradict each other.
CREATE EDGE TYPE compatibleWith IF NOT EXISTS;

CREATE (m:Memory:Episodic) SET m = $node

// What a person decided about two memories; a new type of edge needs no schema here, only the store's version.

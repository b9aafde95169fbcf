"""What everybody but the operator gets: doors that ask who comes, and answers made of what may be seen."""

"""Records calls of the workspace's functions inside of the user's process: what they take, return and read of `self`."""

// Nobody calls it: it is preloaded.

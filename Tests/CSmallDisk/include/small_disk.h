// Has no functions to call: the library is preloaded.

print("prosper")

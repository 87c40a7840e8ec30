"""Parts of the pages *New project* and *Project*, and the ways to begin on a server without projects."""

"""Where documents are read on the web and who owns them: sites, forges, code owners."""

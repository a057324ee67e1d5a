"""Text as people write it: words and stems, languages, dates, secrets, and how it is shown."""

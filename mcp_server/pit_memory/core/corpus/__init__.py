"""Section indexes of corpora: built, compared, looked up; citations of their sections."""

"""Controls and notices that several pages share."""

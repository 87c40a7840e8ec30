"""Work that goes out to Label Studio's screens, and answers that come back."""

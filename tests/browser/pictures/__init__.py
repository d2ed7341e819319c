"""Pictures of the lab's page, for readers: `python -m tests.browser.pictures` takes them anew."""

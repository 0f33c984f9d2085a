"""From labelled data to the fast text model: `cd models && python -m training --data FOLDER`."""

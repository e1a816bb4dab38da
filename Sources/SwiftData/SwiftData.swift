@_exported import ModelStack

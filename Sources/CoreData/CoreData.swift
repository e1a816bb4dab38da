@_exported import LegacyStack

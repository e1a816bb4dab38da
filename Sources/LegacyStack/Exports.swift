// People's files import only this module, as on Apple's platforms. Classes of ours with names of Foundation's shadow those.
@_exported import Foundation

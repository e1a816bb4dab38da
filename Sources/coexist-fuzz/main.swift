import Foundation

exit(FuzzCommand.run(Array(CommandLine.arguments.dropFirst())))

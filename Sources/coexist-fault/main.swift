import Foundation

exit(FaultyHandover.run(CommandLine.arguments))

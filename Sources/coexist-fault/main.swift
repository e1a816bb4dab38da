import Foundation

exit(Fault.run(CommandLine.arguments))

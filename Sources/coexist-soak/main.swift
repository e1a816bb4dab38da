import Foundation

exit(Soak.run(CommandLine.arguments))

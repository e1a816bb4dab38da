import Foundation

exit(Bench.run(CommandLine.arguments))

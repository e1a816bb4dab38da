import Control
import Foundation

exit(CoexistD.run(CommandLine.arguments))

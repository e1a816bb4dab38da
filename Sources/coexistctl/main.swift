import Control
import Foundation

exit(CoexistCtl.run(CommandLine.arguments))

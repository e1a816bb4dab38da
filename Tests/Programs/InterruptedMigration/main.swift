import Foundation

exit(InterruptedMigration.run(CommandLine.arguments))

import Foundation

/// Store errors as `NSError`, with Core Data's numbers: for code that looks at `(error as NSError).code`.
extension StoreError: CustomNSError {
    /// `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }

    /// Core Data's number for the failure: that of the validation where one failed, 1560 where several did.
    public var errorCode: Int {
        switch code {
        case .validationFailed: objects.count > 1 ? 1560 : objects.first?.validationCode ?? 1550
        case .deleteDenied: 1600
        case .versionConflict: 133_020
        case .uniqueConflict: 133_021
        case .schemaMismatch: 134_100
        case .readOnly: 513
        case .diskFull: 640
        default: 134_060
        }
    }

    /// Message, way out, and an error of its own for each validation that failed, under `NSDetailedErrors`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: message, NSLocalizedRecoverySuggestionErrorKey: way,
        ]
        if code == .validationFailed, objects.count > 1 {
            info["NSDetailedErrors"] = objects.map { offence in
                NSError(domain: NSCocoaErrorDomain, code: offence.validationCode ?? 1550, userInfo: offence.userInfo)
            }
        } else if let offence = objects.first {
            info.merge(offence.userInfo) { own, _ in own }
        }
        return info
    }
}

extension StoreError.Offence {
    fileprivate var userInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason, "NSValidationErrorObject": object.description]
        if let property { info["NSValidationErrorKey"] = property }
        return info
    }
}

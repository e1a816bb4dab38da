/// Core Data's numbers for failed validations: `(error as NSError).code`, and `validationCode` of an error's objects.
/// Of several failures the error's own number is this one, and `NSDetailedErrorsKey` has an error for each.
public let NSValidationMultipleErrorsError = 1560
/// A validation failed that has no number of its own.
public let NSManagedObjectValidationError = 1550
/// A mandatory property has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A to-many has too few objects.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A to-many has too many objects.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship's delete rule denies the deletion.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is larger than the maximum.
public let NSValidationNumberTooLargeError = 1610
/// A number is smaller than the minimum.
public let NSValidationNumberTooSmallError = 1620
/// A date is after the maximum.
public let NSValidationDateTooLateError = 1630
/// A date is before the minimum.
public let NSValidationDateTooSoonError = 1640
/// A text is longer than the maximum.
public let NSValidationStringTooLongError = 1660
/// A text is shorter than the minimum.
public let NSValidationStringTooShortError = 1670
/// A text does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680

/// The key of the errors of several validations, in an error's `userInfo`.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The key of the property that failed, in an error's `userInfo`.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The key of the object that failed, by its short name, in an error's `userInfo`.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"

import Foundation
import SwiftData

/// Classes as the program that made a store of the corpus has them: structures and enumerations of each kind.
enum MetaCocktails {
    @Model final class Cocktail {
        @Attribute(.unique) var cocktailName: String
        var favorite: Bool
        var glasswareType: Glassware
        var historicSpec: Historic?
        var collectionName: String
        var author: Author?
        var compiledTags: Tags = Tags()
        var ice: Ice?
        var id: UUID = UUID()
        var titleCocktail: Bool?
        var variation: Variation?
        var garnish: [Garnish]
        var isCustomCocktail: Bool
        var notes: String?
        var spec: [Ingredient]
        var buildOrder: Build?
        var collection: Collection?
        var variationName: String?

        init(cocktailName: String) {
            self.cocktailName = cocktailName
            favorite = false
            glasswareType = .coupe
            collectionName = ""
            garnish = []
            isCustomCocktail = true
            spec = []
        }
    }

    @Model final class Garnish {
        @Attribute(.unique) var name: String
        @Relationship(inverse: \Cocktail.garnish) var cocktails: [Cocktail]?

        init(name: String) { self.name = name }
    }

    @Model final class Ingredient {
        var ingredientBase: IngredientBase
        var id: UUID
        var value: Double
        var unit: Unit

        init(ingredientBase: IngredientBase) {
            self.ingredientBase = ingredientBase
            id = UUID()
            value = 1
            unit = .ounces
        }
    }

    @Model final class IngredientBase {
        @Attribute(.unique) var name: String
        var prep: Prep?
        var specialtyCategory: String
        var id: UUID
        var tags: Tags?
        var umbrellaCategory: String
        var baseCategory: String
        var isCustom: Bool
        var info: String?

        init(name: String) {
            self.name = name
            specialtyCategory = ""
            id = UUID()
            umbrellaCategory = ""
            baseCategory = ""
            isCustom = true
        }
    }

    enum Glassware: String, Codable { case coupe = "Coupe", doubleOld = "Double Old Fashioned" }
    enum Ice: String, Codable { case large = "Large cube", pebble = "Pebble ice" }
    enum Variation: String, Codable { case bijou = "Bijou" }
    enum Collection: Int, Codable { case one = 1, two, three, four }
    enum Unit: String, Codable { case ounces = "oz" }

    enum Historic: Codable {
        case algonquin, alaska, betweenTheSheets, bloodAndSand, bramble, bobbyBurns, chocolateCocktail, elDiablo,
            fogCutter
        case ginFizz, gimlet, silverFizz, hotToddy, mexicanFiringSquad, modernCocktail
    }

    struct Author: Codable {
        var id: UUID
        var person: String?
        var place: String?
        var year: String?
    }

    struct Tags: Codable {
        var flavors: [String]?
        var profiles: [String]?
        var styles: [String]?
        var booze: [Bottle]?
        var nA: [Bottle]?
    }

    struct Bottle: Codable {
        var name: String
        var ingredientType: Kind
    }

    enum Kind: Codable {
        case agaves(String), amari(String), bitters(String), brandies(String), fortifiedWines(String), fruit(String)
        case gins(String), herbs(String), juices(String), liqueurs(String), otherAlcohol(String), otherNonAlc(String)
        case rums(String), seasoning(String), soda(String), syrups(String), vodkas(String), whiskies(String)
        case wines(String)
    }

    struct Prep: Codable {
        var id: UUID
        var prepIngredientName: String
        var prepRecipe: [Step]
    }

    struct Build: Codable {
        var instructions: [Step]
    }

    struct Step: Codable {
        var id: UUID
        var step: Int
        var method: String
    }
}

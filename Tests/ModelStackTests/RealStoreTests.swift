import Foundation
import StoreFormat
import SwiftData
import TestKit
import Testing

/// Classes as the programs that made two stores of the corpus have them, by their stores' models.
enum FreezeRay {
    @Model final class User {
        var createdAt: Date?
        var name: String?

        init(name: String) {
            self.name = name
        }
    }
}

enum ResourcesManager {
    @Model final class Item {
        @Attribute(.unique) var name: String
        @Relationship(inverse: \CraftingRecipe.producedItem) var craftingRecipe: CraftingRecipe?

        init(name: String) {
            self.name = name
        }
    }

    @Model final class CraftingRecipe {
        var producedItem: Item?
        var producedItemCount: String = "1"
        @Relationship(inverse: \Component.craftingRecipe) var requiredComponents: [Component] = []

        init() {}
    }

    @Model final class Component {
        var id: UUID = UUID()
        var item: Item?
        var count: Int = 1
        var craftingRecipe: CraftingRecipe?

        init() {}
    }
}

@Suite(.enabled(if: ProcessInfo.processInfo.environment["COEXIST_CORPUS"] != nil))
struct RealStoreTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func copy(_ name: String, _ file: String) throws -> ModelConfiguration {
        let corpus = ProcessInfo.processInfo.environment["COEXIST_CORPUS"] ?? ""
        try FileManager.default.copyItem(atPath: "\(corpus)/\(name)", toPath: folder.file("copy"))
        return ModelConfiguration(url: URL(fileURLWithPath: folder.file("copy/\(file)")))
    }

    @Test func classesOpenTheStoreThatApplesFrameworkMadeOfThem() throws {
        let configuration = try copy("30_SwiftData_ResourcesManager", "default.store")
        let container = try ModelContainer(
            for: ResourcesManager.Item.self, ResourcesManager.CraftingRecipe.self, ResourcesManager.Component.self,
            configurations: configuration)
        let context = ModelContext(container)
        let items = try context.fetch(FetchDescriptor<ResourcesManager.Item>(sortBy: [SortDescriptor(\.name)]))
        #expect(!items.isEmpty)
        let recipe = items.lazy.compactMap(\.craftingRecipe).first
        #expect(recipe == nil || recipe?.producedItem?.craftingRecipe === recipe)
        context.insert(ResourcesManager.Item(name: "One that was not there"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<ResourcesManager.Item>()) == items.count + 1)
    }

    @Test func optionalValuesOpenTheirStore() throws {
        let configuration = try copy("32_SwiftData_FreezeRay_1.0.0", "App-1_0_0.sqlite")
        let container = try ModelContainer(for: FreezeRay.User.self, configurations: configuration)
        let users = try ModelContext(container).fetch(FetchDescriptor<FreezeRay.User>())
        #expect(users.allSatisfy { $0.name != nil })
    }

    /// The figures are the `sqlite3` shell's.
    @Test func structuresAndEnumerationsOpenTheirStore() throws {
        let configuration = try copy("28_SwiftData_MetaCocktails_Preloaded", "PreloadedCocktails.store")
        let container = try ModelContainer(
            for: MetaCocktails.Cocktail.self, MetaCocktails.Garnish.self, MetaCocktails.Ingredient.self,
            MetaCocktails.IngredientBase.self, configurations: configuration)
        let context = ModelContext(container)
        let cocktails = try context.fetch(FetchDescriptor<MetaCocktails.Cocktail>())
        #expect(cocktails.count == 416)
        let gimlet = cocktails.filter { if case .gimlet? = $0.historicSpec { true } else { false } }
        #expect(!gimlet.isEmpty)
        let sloe = try #require(cocktails.first { $0.cocktailName == "Sloe Walker" })
        #expect(sloe.author?.person == "Kenny Remster")
        #expect(sloe.author?.year == nil)
        #expect(sloe.compiledTags.flavors == ["Grapefruit", "Sloe Berries (Blackthorn)", "Anise"])
        #expect(sloe.compiledTags.booze?.count == 7)
        guard case .fortifiedWines(let name)? = sloe.compiledTags.booze?.first?.ingredientType else {
            Issue.record("no fortified wine first")
            return
        }
        #expect(name == "Fortified wine")
        #expect(sloe.collection == .two)
        // The classes above know few of the glasses: the others are named, and nothing else is wrong.
        for cocktail in cocktails {
            for fault in cocktail.valueFaults {
                #expect(fault.code == .invalidRawValue && !fault.message.contains("historicSpec"), "\(fault)")
            }
        }
        #expect(cocktails.contains { !$0.valueFaults.isEmpty })
        let bases = try context.fetch(FetchDescriptor<MetaCocktails.IngredientBase>())
        #expect(bases.allSatisfy { $0.valueFaults.isEmpty })
        #expect(bases.contains { $0.prep?.prepRecipe.isEmpty == false })
    }
}

import SQLite

/// Which pages of a file make up a table each, by what the pages and the pointer map say, not by the list of tables.
struct PageTrees {
    /// A tree of table pages. Which table it is has to be found out.
    struct Tree {
        var root: Int
        var leaves: [Int] = []
        /// Pages of it that cannot be read, or not wholly.
        var damaged = 0
    }

    let pages: DatabasePages
    private(set) var trees: [Tree] = []
    /// The leaves of the list of tables itself that can be read.
    private(set) var schemaLeaves: [Int] = []
    /// Pages that cannot be read and belong to no tree with a row, as far as can be told.
    private(set) var strays = 0

    init(_ pages: DatabasePages) {
        self.pages = pages
        let free = pages.freePages()
        let parents = pages.hasPointerMap ? [:] : Self.parents(pages)
        var byRoot: [Int: Tree] = [:]
        guard pages.count > 0 else { return }
        for page in 1...pages.count where !free.contains(page) && !pages.isMapPage(page) {
            guard let root = Self.root(of: page, pages, parents) else { continue }
            let kind = TableNode.kind(page, in: pages)
            // An index's pages are of no use here.
            if kind == 10 || kind == 2 { continue }
            let node = TableNode(page, in: pages)
            if root == 1 {
                if node?.rows.isEmpty == false { schemaLeaves.append(page) }
                continue
            }
            var tree = byRoot[root] ?? Tree(root: root)
            if node == nil || node?.isDamaged == true { tree.damaged += 1 }
            if kind == 13, node != nil { tree.leaves.append(page) }
            // Without the map, a page that makes no sense may be one that holds a part of a long value.
            if node != nil || pages.hasPointerMap { byRoot[root] = tree } else { strays += 1 }
        }
        trees = byRoot.values.filter { !$0.leaves.isEmpty }.sorted { $0.root < $1.root }
        strays += byRoot.values.filter(\.leaves.isEmpty).reduce(0) { $0 + $1.damaged }
    }

    /// The root of the tree that the page belongs to; nil for a page of no tree.
    private static func root(of page: Int, _ pages: DatabasePages, _ parents: [Int: Int]) -> Int? {
        var current = page
        // No tree of two billion pages is as high.
        for _ in 0..<32 {
            if current == 1 { return 1 }
            guard pages.hasPointerMap else {
                guard let parent = parents[current] else { return current }
                current = parent
                continue
            }
            guard let (role, parent) = pages.role(of: current) else { return nil }
            switch role {
            case .root: return current
            case .node where pages.isPage(parent): current = parent
            default: return nil
            }
        }
        return nil
    }

    private static func parents(_ pages: DatabasePages) -> [Int: Int] {
        var parents: [Int: Int] = [:]
        for page in 1..<(pages.count + 1) {
            for child in TableNode(page, in: pages)?.children ?? [] where pages.isPage(child) { parents[child] = page }
        }
        return parents
    }

    /// Calls the body with each row of a tree.
    func forEachRow(of tree: Tree, _ body: (TableNode.Row) throws -> Void) rethrows {
        for page in tree.leaves {
            for row in TableNode(page, in: pages)?.rows ?? [] { try body(row) }
        }
    }

    /// The first rows of a tree.
    func sample(of tree: Tree) -> [TableNode.Row] {
        tree.leaves.lazy.compactMap { TableNode($0, in: pages)?.rows }.first { !$0.isEmpty } ?? []
    }
}

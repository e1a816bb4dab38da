/// What a server offers: who made it, and its interfaces.
public struct Service: Sendable {
    /// The vendor, for GetInfo.
    public var vendor: String
    /// The product, for GetInfo.
    public var product: String
    /// The version, for GetInfo.
    public var version: String
    /// The product's address on the web, for GetInfo.
    public var url: String
    /// The interfaces, without `org.varlink.service`, which every server has.
    public let interfaces: [InterfaceDescription]
    private let byName: [String: InterfaceDescription]

    /// A service.
    public init(
        vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription]
    ) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = interfaces
        byName = Dictionary(interfaces.map { ($0.name, $0) }) { first, _ in first }
    }

    /// What becomes of a call before a handler sees it.
    enum Route {
        /// A handler's: the method is there and its parameters agree with its input.
        case handler
        /// Answered here.
        case reply(Reply)
    }

    /// Checks a call against the interfaces and answers those of `org.varlink.service`.
    func route(_ call: Call) -> Route {
        if call.upgrade { return .reply(ServiceError.invalidParameter("upgrade").reply) }
        guard let interface = call.interface else {
            return .reply(ServiceError.methodNotFound(call.method).reply)
        }
        if interface == StandardInterface.name { return .reply(standardReply(to: call)) }
        guard let description = byName[interface] else {
            return .reply(ServiceError.interfaceNotFound(interface).reply)
        }
        guard let input = description.input(ofMethod: call.member) else {
            return .reply(ServiceError.methodNotFound(call.method).reply)
        }
        if let parameter = description.firstInvalid(in: call.parameters, for: input) {
            return .reply(ServiceError.invalidParameter(parameter).reply)
        }
        return .handler
    }

    private func standardReply(to call: Call) -> Reply {
        switch call.member {
        case "GetInfo":
            if let key = call.parameters.keys.first { return ServiceError.invalidParameter(key).reply }
            let names = [StandardInterface.name] + interfaces.map(\.name)
            return Reply([
                "vendor": .string(vendor), "product": .string(product), "version": .string(version),
                "url": .string(url), "interfaces": .array(names.map(JSON.string)),
            ])
        case "GetInterfaceDescription":
            guard case .string(let name) = call.parameters["interface"] else {
                return ServiceError.invalidParameter("interface").reply
            }
            if let key = call.parameters.keys.first(where: { $0 != "interface" }) {
                return ServiceError.invalidParameter(key).reply
            }
            let text = name == StandardInterface.name ? StandardInterface.text : byName[name]?.text
            guard let text else { return ServiceError.interfaceNotFound(name).reply }
            return Reply(["description": .string(text)])
        default: return ServiceError.methodNotFound(call.method).reply
        }
    }
}

import type { Route } from "./route.ts";

interface Node {
  readonly byLiteral: Map<string, Node>;
  /** Follows a segment in braces. */
  any: Node | undefined;
  /** Takes the rest of the path whole. */
  rest: Map<string, Route> | undefined;
  readonly routes: Map<string, Route>;
}

/**
 * Finds the routes of a path. Segments are compared as they came: nothing is decoded, so nothing is
 * decoded twice.
 */
export class RouteTree {
  private readonly root = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.add(route);
  }

  /** `id` is the segment, or the rest, that stood in the place of the braces. */
  find(path: string): { routes: ReadonlyMap<string, Route> | undefined; id: string } {
    let node = this.root;
    let id = "";
    let at = 1;
    while (at <= path.length) {
      const slash = path.indexOf("/", at);
      const end = slash < 0 ? path.length : slash;
      const segment = path.slice(at, end);
      const literal = node.byLiteral.get(segment);
      if (literal === undefined) {
        if (node.rest !== undefined) return { routes: node.rest, id: path.slice(at) };
        if (node.any === undefined || segment === "") return { routes: undefined, id };
        id = segment;
      }
      node = literal ?? node.any ?? node;
      at = end + 1;
    }
    return { routes: node.routes.size === 0 ? undefined : node.routes, id };
  }

  private add(route: Route): void {
    let node = this.root;
    for (const segment of route.path.slice(1).split("/")) {
      if (segment === "{rest}") {
        node.rest ??= new Map();
        node.rest.set(route.method, route);
        return;
      }
      node = segment.startsWith("{") ? anyOf(node) : literalOf(node, segment);
    }
    node.routes.set(route.method, route);
  }
}

function emptyNode(): Node {
  return { byLiteral: new Map(), any: undefined, rest: undefined, routes: new Map() };
}

function anyOf(node: Node): Node {
  node.any ??= emptyNode();
  return node.any;
}

function literalOf(node: Node, segment: string): Node {
  const next = node.byLiteral.get(segment) ?? emptyNode();
  node.byLiteral.set(segment, next);
  return next;
}

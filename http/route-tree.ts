import type { Route } from "./route.ts";

interface Node {
  readonly byLiteral: Map<string, Node>;
  /** The node behind a segment in braces, by the segment's suffix: empty, or a `:verb`. */
  readonly anyByVerb: Map<string, Node>;
  /** Routes of a pattern that matches the whole rest of the path. */
  rest: Map<string, Route> | undefined;
  readonly routes: Map<string, Route>;
}

export interface Place {
  readonly routes: ReadonlyMap<string, Route> | undefined;
  /** Segments, or the rest of the path, that matched the braces, in order. */
  readonly ids: readonly string[];
}

/**
 * Finds the routes of a path. Segments are compared as received: nothing is decoded, so nothing can
 * be decoded twice.
 */
export class RouteTree {
  private readonly root = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.add(route);
  }

  find(path: string): Place {
    let node = this.root;
    const ids: string[] = [];
    let at = 1;
    while (at <= path.length) {
      const slash = path.indexOf("/", at);
      const end = slash < 0 ? path.length : slash;
      const segment = path.slice(at, end);
      let next = node.byLiteral.get(segment);
      if (next === undefined) {
        if (node.rest !== undefined) return { routes: node.rest, ids: [...ids, path.slice(at)] };
        const isVerbless = node.anyByVerb.size === 1 && node.anyByVerb.has("");
        const colon = isVerbless ? -1 : segment.indexOf(":");
        const id = colon < 0 ? segment : segment.slice(0, colon);
        next = node.anyByVerb.get(segment.slice(id.length));
        if (next === undefined || id === "") return { routes: undefined, ids };
        ids.push(id);
      }
      node = next;
      at = end + 1;
    }
    return { routes: node.routes.size === 0 ? undefined : node.routes, ids };
  }

  private add(route: Route): void {
    let node = this.root;
    for (const segment of route.path.slice(1).split("/")) {
      if (segment === "{rest}") {
        node.rest ??= new Map();
        node.rest.set(route.method, route);
        return;
      }
      const verb = /^\{[a-z_]+\}(:[a-z-]+)?$/.exec(segment);
      node =
        verb === null ? addChild(node.byLiteral, segment) : addChild(node.anyByVerb, verb[1] ?? "");
    }
    node.routes.set(route.method, route);
  }
}

function emptyNode(): Node {
  return { byLiteral: new Map(), anyByVerb: new Map(), rest: undefined, routes: new Map() };
}

function addChild(children: Map<string, Node>, name: string): Node {
  const next = children.get(name) ?? emptyNode();
  children.set(name, next);
  return next;
}

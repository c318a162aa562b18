import type { Count, Histogram, Tally } from "../../engine/metrics/tally.ts";
import type { Route } from "../route.ts";

/** Label for paths and methods that no route has. */
const unknown = "other";

interface RouteFigures {
  readonly durations: Histogram;
  readonly countByStatus: Map<number, Count>;
}

/** Counts answered requests by their routes. */
export class HttpFigures {
  private readonly tally: Tally;
  private readonly byRoute = new Map<Route | undefined, RouteFigures>();

  constructor(tally: Tally) {
    this.tally = tally;
  }

  add(route: Route | undefined, status: number, seconds: number): void {
    const { durations, countByStatus } = this.byRoute.get(route) ?? this.begin(route);
    durations.observe(seconds);
    (countByStatus.get(status) ?? this.beginStatus(route, countByStatus, status)).add();
  }

  private begin(route: Route | undefined): RouteFigures {
    const durations = this.tally.histogram("http_request_duration_seconds", getLabels(route));
    const figures = { durations, countByStatus: new Map<number, Count>() };
    this.byRoute.set(route, figures);
    return figures;
  }

  private beginStatus(
    route: Route | undefined,
    countByStatus: Map<number, Count>,
    status: number,
  ): Count {
    const labels = { ...getLabels(route), status: String(status) };
    const count = this.tally.count("http_requests_total", labels);
    countByStatus.set(status, count);
    return count;
  }
}

function getLabels(route: Route | undefined) {
  return { route: route?.path ?? unknown, method: route?.method ?? unknown };
}

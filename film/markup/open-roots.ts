/**
 * Opens the closed shadow roots that markup declares, because only open ones can be found in a page
 * and follow the film's time. Scripts that look for a root where the author wrote a closed one then
 * find it.
 */
export function openRoots(text: string): string {
  return text.replace(closed, "$1open$2");
}

const closed = /(<template\b[^>]*\sshadowrootmode\s*=\s*["']?)closed(["'\s/>])/gi;

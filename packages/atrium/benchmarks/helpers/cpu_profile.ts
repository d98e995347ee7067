import type { Profiler } from 'node:inspector'

export interface ProfiledTime {
  name: string
  /** Microseconds in the code itself */
  self: number
  /** Microseconds in it and in everything that it called; recursive calls count once */
  total: number
}

export interface ProfileTimes {
  functions: ProfiledTime[]
  /** By npm package, or by directory of the project */
  packages: ProfiledTime[]
  /** Microseconds in which the JavaScript thread was busy */
  busy: number
}

interface Place {
  name: string
  owner: string
}

/* Not the server's work: idle time and the profiler itself. */
const LEFT_OUT = /^\((root|idle)\)$|side_channel/

/**
 * Sums up a CPU profile.
 *
 * @param root  prefix of paths to show relative to it
 */
export function profileTimes(profile: Profiler.Profile, root: string): ProfileTimes {
  const places = new Map(profile.nodes.map((node) => [node.id, functionOf(node, root)]))
  const parents = new Map<number, number>()
  for (const { id, children = [] } of profile.nodes) {
    for (const child of children) parents.set(child, id)
  }
  const stackOf = (id: number) => {
    const stack: Place[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      stack.push(places.get(at)!)
    }
    return stack
  }

  const functions = new Map<string, ProfiledTime>()
  const packages = new Map<string, ProfiledTime>()
  let busy = 0
  for (const [id, time] of ownTimes(profile)) {
    const stack = stackOf(id)
    /* The root is on every stack. */
    if (LEFT_OUT.test(stack[0].name) || stack.some(({ name }) => /side_channel/.test(name)))
      continue
    busy += time
    const names = stack.slice(0, -1)
    add(
      functions,
      names.map(({ name }) => name),
      time
    )
    add(
      packages,
      names.map(({ owner }) => owner),
      time
    )
  }
  return { functions: [...functions.values()], packages: [...packages.values()], busy }
}

function ownTimes({ samples, timeDeltas }: Profiler.Profile): Map<number, number> {
  const own = new Map<number, number>()
  for (const [index, id] of samples!.entries()) {
    own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas![index]))
  }
  return own
}

function add(times: Map<string, ProfiledTime>, stack: string[], time: number): void {
  for (const name of new Set(stack)) {
    const known = times.get(name) ?? { name, self: 0, total: 0 }
    known.total += time
    if (name === stack[0]) known.self += time
    times.set(name, known)
  }
}

function functionOf({ callFrame }: Profiler.ProfileNode, root: string): Place {
  const { functionName, lineNumber, url } = callFrame
  const name = functionName || '(anonymous)'
  if (url === '') return { name, owner: name.startsWith('(') ? name : 'native code' }
  if (url.startsWith('node:')) return { name: `${name} ${url}:${lineNumber + 1}`, owner: 'node' }
  const path = decodeURIComponent(url)
    .replace(/^file:\/\//, '')
    .replace(root, '')
    .replace(/\?.*$/, '')
  const inPackage = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)(.*)$/.exec(path)
  if (inPackage)
    return { name: `${name} ${inPackage[1]}${inPackage[2]}:${lineNumber + 1}`, owner: inPackage[1] }
  return {
    name: `${name} ${path}:${lineNumber + 1}`,
    owner: path.split('/').slice(0, -1).join('/') || path,
  }
}

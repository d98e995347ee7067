/* Random requests to every route: valid, almost valid, and nonsense. */
import fc from 'fast-check'
import { resources } from '#crud'
import { engineRouter } from '#base/http/engine_router'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { TABLES, UUID, VIEWS } from '#tests/helpers/fuzz/state'

export interface FuzzRequest {
  /** Name of one of the state's callers */
  caller: string
  method: string
  /** Path as sent */
  path: string
  headers: Record<string, string>
  body: string
}

/** Markup that responses must escape or leave out. */
export const MARKUP = '"><xss onerror=x>{{ 7*191 }}'

const TEXTS = [
  ...['', '1', '2', 'a', 'one', 'Lamp', UUID, 'true', 'null', '0', '-1', '1.5', '1e3', '0x1', ' 1'],
  ...[
    '9'.repeat(30),
    '9223372036854775807',
    'NaN',
    '2026-01-01',
    '2026-01-01 00:00:00',
    '12:30:00',
  ],
  ...["'", '"', '`', '\\', '%', '_', '*', ';--', "1' or '1'='1", '1) or (1=1', '$1', '?', ':id'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '../../etc/passwd', '..', '.', '/'],
  ...['\0', 'a\0b', '\ud800', '\u202e', '\r\nx-injected: 1', '😀', 'ß', 'İ', MARKUP, '${7*7}'],
  ...['a,b', ',', '[]', '{}', '[1,[2]]', 'a:b', 'eq:1,ne:2', 'x'.repeat(300), 'x'.repeat(3000)],
]

const PARAMETERS = [
  ...['offset', 'limit', 'page', 'itemsPerPage', 'sort', 'fields', 'include', 'deleted', 'count'],
  ...['cursor', 'id', 'name', '__proto__', 'q', 'next', 'error', 'hard', '_method'],
  ...['page', 'rows-per-page-select', 'sort_column', 'sort_order', 'column-to-search'],
  ...[
    'search-input',
    'event_type',
    'status',
    'username',
    'resource_type',
    'start_date',
    'end_date',
  ],
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']

const TYPES = [
  ...['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
  ...['text/plain', 'application/json; charset=utf-16', 'application/problem+json', ''],
]

/** Headers with a meaning, and values for them. */
const HEADERS: Record<string, string[]> = {
  'accept': ['text/html', 'application/json', '*/*', 'text/html;q=0, */*;q=0.1', ',;q=', 'x'],
  'accept-encoding': ['gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=9'],
  'accept-language': ['en', 'de, *;q=0.5', '../en'],
  'content-encoding': ['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip'],
  'content-type': TYPES,
  'cookie': ['access_token=', 'session_id=%zz', 'theme=../x', '__proto__=1', 'a'.repeat(500)],
  'authorization': [
    'Bearer',
    'Bearer  x',
    'Basic am86am8=',
    'bearer atr_',
    'Digest x',
    'Bearer a b',
  ],
  'host': ['evil.test', 'localhost:99999', '[::1]', 'a b', ''],
  'hx-current-url': ['https://evil.test/admin', '/admin', 'x', 'http://[', '/admin/Reel/?page=2'],
  'hx-request': ['true'],
  'idempotency-key': ['a', '"a"', '""', '"', 'a b', 'x'.repeat(256)],
  'if-match': ['*', '"x"', 'W/"x"', 'x', '', '"a", "b"', ','.repeat(500)],
  'if-none-match': ['*', '"x"', 'W/"x"', 'x', '', '"'],
  'if-modified-since': ['x', 'Thu, 01 Jan 2099 00:00:00 GMT'],
  'origin': ['https://evil.test', 'null', 'http://localhost', 'x'],
  'prefer': ['return=representation', 'return=minimal', 'return', 'return=minimal; x="'],
  'range': ['bytes=0-1', 'bytes=-', 'x'],
  'sec-fetch-site': ['same-origin', 'cross-site', 'none', 'x'],
  'x-forwarded-for': ['127.0.0.1', "1' or 1", '::', 'x, y, z'],
  'x-forwarded-host': ['evil.test'],
  'x-forwarded-proto': ['https', 'x'],
  'x-http-method-override': ['DELETE'],
  'x-request-id': ['abc', 'a b', 'x'.repeat(65), '{{1}}'],
}

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 20 }) }
)

const usually = <One, Other>(one: One, other: fc.Arbitrary<Other>) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(one) },
    { weight: 1, arbitrary: other as fc.Arbitrary<One | Other> }
  )

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, -1, 1.5, 1e300, 2 ** 53, true, false, null) },
  { weight: 1, arbitrary: fc.constantFrom([], {}, [1], [[1]], ['a', 'a'], { a: { b: 1 } }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) }
)

interface Target {
  method: string
  pattern: string
}

/** Every route of the application, and of test models with rows in the state. */
export function targets(): Target[] {
  const paths = resources.endpoints().flatMap(({ path, resource, constructor }) => {
    const isCalled = TABLES.includes(resource.table) && constructor.name === 'EndpointCreator'
    return isCalled ? [`${path}`] : []
  })
  const isOurs = (pattern: string) => {
    if (pattern.startsWith('/api/')) {
      return (
        pattern === '/api/openapi.json' ||
        paths.some((path) => pattern === path || pattern.startsWith(`${path}/`))
      )
    }
    const [, mount, first, ...rest] = pattern.split('/')
    if (mount !== 'admin' || first === undefined) return true
    if (first === 'management') return rest[1] !== 'record' || VIEWS.includes(rest[2])
    return !/^[A-Z]/.test(first) ? first !== 'body-probe' : VIEWS.includes(first)
  }
  return Object.values(engineRouter().toJSON())
    .flat()
    .filter(({ pattern }) => isOurs(pattern))
    .flatMap(({ methods, pattern }) => methods.map((method) => ({ method, pattern })))
}

/** Field names of bodies and queries: of columns, filters and forms. */
function fieldNames(): string[] {
  const called = resources.endpoints().filter(({ resource }) => TABLES.includes(resource.table))
  const names = called.flatMap(({ resource }) => [
    ...resource.columns.all.map(({ apiName }) => apiName),
    ...resource.filters.all.map(({ name }) => name),
    ...resource.includes.keys(),
  ])
  const others = ['ids', 'password', 'username', 'theme', 'token_name', 'token_abilities']
  return [...new Set([...names, ...others, 'name__clear', 'version', '__proto__', 'constructor'])]
}

/** Valid bodies of routes, by their paths. */
const FITTING: Array<[RegExp, Record<string, unknown>]> = [
  [/bulk|restore/, { ids: [2, 1] }],
  [/issue_token/, { token_name: 'x', token_abilities: 'Reel:read', token_expires: '30 days' }],
  [/login|AdminUser/, { username: 'x', password: 'long enough', is_superuser: true }],
  [/theme/, { theme: 'dark-theme' }],
  [/utensils|Utensil/, { name: 'x', description: 'x', category: 'x', price: 1, last_sold: null }],
  [/reels|Reel/, { title: 'x', lender_id: 1, release_date: '2026-01-01', imdb_rating: 7.5 }],
  [/seats/, { hall: 2, place: 'x', label: 'x' }],
  [/Berth/, { deck: 2, place: 'x', guest: 'x' }],
  [/countries|labels|shelves/, { code: 'x', name: 'x' }],
  [/accounts/, { email: 'x@example.org', password: 'long enough' }],
  [/volumes/, { title: 'x', shelf_id: 1, shelf_code: 'a' }],
  [/songs/, { album_id: 1, position: 3, title: 'x' }],
  [/albums|tickets/, { title: 'x' }],
  [/notes/, { owner: 'x', title: 'x' }],
  [/Rack/, { label: 'x' }],
  [/./, { name: 'x' }],
]

function fitting(pattern: string): Array<[string, unknown]> {
  const [, body] = FITTING.find(([part]) => part.test(pattern))!
  return Object.entries(body)
}

/**
 * @param callers  names of the state's callers
 */
export function requests(callers: string[]): fc.Arbitrary<FuzzRequest> {
  const names = fc.constantFrom(...fieldNames())
  const oddFields = fc.array(fc.tuple(names, value), { maxLength: 3 })
  const parameters = fc.array(
    fc.tuple(fc.oneof(names, fc.constantFrom(...PARAMETERS)), fc.oneof(text, names)),
    { maxLength: 4 }
  )
  return fc
    .record({
      caller: fc.constantFrom(...callers, 'superuser', 'superuser', 'token'),
      target: fc.constantFrom(...targets()),
      otherMethod: usually(undefined, fc.constantFrom(...METHODS)),
      parts: fc.array(fc.oneof(fc.constantFrom('1', '1', '2', 'a', UUID), text), {
        minLength: 3,
        maxLength: 3,
      }),
      tail: usually('', fc.constantFrom('/', '//', '/..', '/%2e%2e', '/x', ';x', '%20', '.')),
      query: fc.oneof(
        { weight: 1, arbitrary: fc.constant<Array<[string, string]>>([]) },
        { weight: 2, arbitrary: parameters }
      ),
      how: fc.constantFrom('encoded', 'encoded', 'encoded', 'brackets', 'raw'),
      headers: fc.dictionary(fc.constantFrom(...Object.keys(HEADERS)), fc.nat(), { maxKeys: 3 }),
      isFitting: usually(true, fc.constant(false)),
      odd: oddFields,
      notation: usually(
        undefined,
        fc.constantFrom('json', 'form', 'multipart', 'nonsense', 'none')
      ),
    })
    .map(
      ({
        caller,
        target,
        otherMethod,
        parts,
        tail,
        query,
        how,
        headers,
        isFitting,
        odd,
        notation,
      }) => {
        const method = otherMethod ?? target.method
        const fields = [...(isFitting ? fitting(target.pattern) : []), ...odd]
        const usual = /form_|login|theme|issue/.test(target.pattern) ? 'form' : 'json'
        const { body, type } = written(fields, notation ?? usual)
        const given = Object.entries(headers).map(([name, index]) => [
          name,
          HEADERS[name][index % HEADERS[name].length],
        ])
        const all = {
          ...(type && { 'content-type': type }),
          ...Object.fromEntries(given),
        }
        const isBodiless = ['GET', 'HEAD', 'OPTIONS'].includes(method)
        if (isBodiless) delete all['content-encoding']
        const search = queryOf(query, how)
        return {
          caller,
          method,
          path: pathOf(target.pattern, parts) + tail + (search && `?${search}`),
          headers: all,
          body: isBodiless ? '' : body,
        }
      }
    )
}

function pathOf(pattern: string, parts: string[]): string {
  let index = 0
  return pattern.replace(/:\w+\??|\*/g, () => encoded(parts[index++ % parts.length]) || '%20')
}

function queryOf(query: Array<[string, string]>, how: string): string {
  return query
    .map(([name, content]) => {
      if (how === 'raw') return `${name}=${content}`.replace(/[^\x21-\xff]/g, '%')
      const key =
        how === 'brackets' ? `${encoded(name)}[${encoded(content).slice(0, 20)}][]` : encoded(name)
      return `${key}=${encoded(content)}`
    })
    .join('&')
}

function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed())
}

function written(
  fields: Array<[string, unknown]>,
  notation: string
): { body: string; type?: string } {
  const texts = fields.map(([name, content]) => [
    name,
    typeof content === 'string' ? content : (JSON.stringify(content) ?? ''),
  ])
  switch (notation) {
    case 'json': {
      const members = fields.map(
        ([name, content]) => `${JSON.stringify(name)}:${JSON.stringify(content) ?? 'null'}`
      )
      return { body: `{${members.join(',')}}`, type: 'application/json' }
    }
    case 'form':
      return {
        body: texts.map(([name, content]) => `${encoded(name)}=${encoded(content)}`).join('&'),
        type: 'application/x-www-form-urlencoded',
      }
    case 'multipart': {
      const parts = texts.map(
        ([name, content]) =>
          `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${content.toWellFormed()}\r\n`
      )
      return { body: `${parts.join('')}--x--\r\n`, type: 'multipart/form-data; boundary=x' }
    }
    case 'nonsense':
      return { body: texts.flat().join('{'), type: 'application/json' }
    default:
      return { body: '' }
  }
}

/*
 * What an application of `tests/hosts` responds, as texts to compare: without what differs from one request to the next.
 */
import { Visitor } from '#tests/helpers/visitor'

interface Request {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const AS_JSON = { accept: 'application/json' }
const LOGIN = JSON.stringify({ email: 'jo@example.com', password: 'secret-of-jo' })

/** By application; `TOKEN` is the value that the response before had for it */
const REQUESTS: Record<string, Request[]> = {
  web: [
    { path: '/' },
    { method: 'HEAD', path: '/' },
    { path: '/?a=1,2&a=3&_method=PUT' },
    { method: 'OPTIONS', path: '/posts' },
    { path: '/posts' },
    { path: '/posts.json', headers: AS_JSON },
    { path: '/hello.txt' },
    { path: '/nope' },
    { path: '/nope', headers: AS_JSON },
    { path: '/%E0%A4%A' },
    { method: 'PUT', path: '/login', headers: FORM },
    { path: '/broken' },
    { path: '/broken', headers: AS_JSON },
    { method: 'POST', path: '/login', headers: JSON_TYPE, body: '{' },
    { method: 'POST', path: '/login', headers: FORM, body: 'email=jo%40example.com&password=x' },
    { path: '/login' },
    {
      method: 'POST',
      path: '/login',
      headers: FORM,
      body: '_csrf=TOKEN&email=jo%40example.com&password=wrong',
    },
    { path: '/login' },
    {
      method: 'POST',
      path: '/login',
      headers: FORM,
      body: '_csrf=TOKEN&email=jo%40example.com&password=secret-of-jo',
    },
    { path: '/posts' },
    { method: 'POST', path: '/posts', headers: FORM, body: '_csrf=TOKEN&title=%20ab%20&body=' },
    { path: '/posts' },
    { method: 'POST', path: '/logout', headers: FORM, body: '_csrf=TOKEN' },
    { path: '/posts' },
  ],
  api: [
    { path: '/' },
    { path: '/nope', headers: { accept: 'text/html' } },
    { path: '/api/v1/posts?page=1' },
    { path: '/api/v1/posts', headers: { origin: 'https://other.example.com' } },
    {
      method: 'OPTIONS',
      path: '/api/v1/posts',
      headers: { 'origin': 'https://other.example.com', 'access-control-request-method': 'POST' },
    },
    { path: '/api/v1/broken' },
    { path: '/api/v1/account/profile' },
    { method: 'POST', path: '/api/v1/auth/login', headers: JSON_TYPE, body: '{' },
    { method: 'POST', path: '/api/v1/auth/login', headers: JSON_TYPE, body: '{"email":" "}' },
    { method: 'POST', path: '/api/v1/auth/login', headers: JSON_TYPE, body: LOGIN },
    { path: '/api/v1/account/profile', headers: { authorization: 'Bearer TOKEN' } },
    {
      method: 'POST',
      path: '/api/v1/posts',
      headers: { ...JSON_TYPE, authorization: 'Bearer TOKEN' },
      body: '{"title":"ab"}',
    },
    { method: 'POST', path: '/api/v1/auth/logout', headers: { authorization: 'Bearer TOKEN' } },
    { path: '/api/v1/account/profile', headers: { authorization: 'Bearer TOKEN' } },
  ],
}

const CSRF = /(name=['"]_csrf['"] value=['"])([^'"]+)/g
const BEARER = /(")(oat_[^"]+)/

/** The session's id is the name of its cookie with the values. */
const COOKIE = /^(adonis-session)?[^=]*=[^;]*/

/** Headers of which another response has other values */
const CHANGING = new Set(['date', 'x-request-id', 'content-length', 'etag'])

/** @returns  a text for each request, with status, headers and body */
export async function responsesOf(host: string, url: string): Promise<string[]> {
  const visitor = new Visitor(url, '/posts')
  const texts: string[] = []
  let token = ''
  for (const { method = 'GET', path, headers = {}, body } of REQUESTS[host]) {
    const put = (text: string) => text.replace('TOKEN', token)
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, put(value)])
    )
    const options = { method, body: body && put(body) }
    const { status, headers: received, cookies, text } = await visitor.send(path, options, filled)
    token = [...text.matchAll(CSRF)].at(-1)?.[2] ?? BEARER.exec(text)?.[2] ?? token
    const lines = [...received]
      .filter(([name]) => !CHANGING.has(name) && name !== 'set-cookie')
      .map((pair) => pair.join(': '))
    const set = cookies.map((cookie) =>
      cookie.replace(COOKIE, '$1=...').replace(/; Expires=[^;]*/, '')
    )
    const shown = withoutStack(text).replace(CSRF, '$1...').replace(BEARER, '$1...')
    texts.push([`${method} ${path} ${status}`, ...lines, ...set, shown].join('\n'))
  }
  return texts
}

/** In development, a page or JSON of an error has the stack, where each server middleware is a frame. */
function withoutStack(text: string): string {
  if (text.includes('<title>An error has occurred</title>')) return 'The page of youch'
  if (!text.startsWith('{')) return text
  return JSON.stringify({ ...JSON.parse(text), frames: undefined, stack: undefined })
}

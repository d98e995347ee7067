import { originOf } from '#base/http/served_hosts'

/** True for an origin as browsers send it, such as `https://shop.example.com`, and for `*`. */
export function isOrigin(value: unknown): boolean {
  return (
    value === '*' || (typeof value === 'string' && originOf(value) === value && value !== 'null')
  )
}

/** True for a page that the own machine serves, on any port. */
export function isLocalOrigin(origin: string): boolean {
  return /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin)
}

import { test } from '@japa/runner'
import fc from 'fast-check'
import type { AdminSite } from '#admin'
import { returnPath } from '#admin/http/site_paths'
import { runs } from '#tests/helpers/random_runs'

function siteAt(mountPath: string): AdminSite {
  return {
    mountPath,
    url: (path: string) => (path === '/' ? mountPath || '/' : mountPath + path),
  } as AdminSite
}

const admin = siteAt('/admin')
const root = siteAt('')

test.group('returnPath()', () => {
  test('[B3] a page of the site is accepted as a return path')
    .with([
      '/admin',
      '/admin/',
      '/admin/Utensil/',
      '/admin/Utensil/?page=2&sort_by=name',
      '/admin/Utensil/?search-input=a%20b%2Fc&x=//evil.test',
      '/admin/Country/update/a%20b',
      '/admin/loginx',
      '/admin/x/login',
      '/admin/Utensil/?next=/admin/logout',
      '/admin//x',
    ])
    .run(({ assert }, wanted) => {
      assert.equal(returnPath(admin, wanted), wanted)
    })

  test('[B3] a URL of another host is refused as a return path')
    .with([
      '//evil.test',
      '///evil.test',
      '////evil.test/admin/',
      '/\\evil.test',
      '\\\\evil.test',
      '/\\/evil.test/admin/',
      '/\t/evil.test',
      '/\n/evil.test',
      '/\r\n/evil.test',
      '\t//evil.test',
      ' //evil.test',
      '/ /evil.test',
      'http://evil.test',
      'http://evil.test/admin/',
      'https:evil.test',
      'http:/admin/',
      'http:\\\\evil.test',
      'HTTP://here.invalid/admin/',
      'http://here.invalid/admin/',
      '//here.invalid/admin/',
      'javascript:alert(1)',
      'JavaScript:alert(1)//admin/',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      '@evil.test',
      '/admin@evil.test',
      '//admin@evil.test/',
      'evil.test',
      'evil.test/admin/',
      '%2f%2fevil.test',
      '/%2f/evil.test',
      '/%2fevil.test',
      '/%5cevil.test',
      '/.//evil.test',
      '/..//evil.test',
      '/admin/..//evil.test',
      '/admin/../../evil.test',
      '/admin/%2e%2e//evil.test',
      '/admin\\..\\..\\evil.test',
    ])
    .run(({ assert }, wanted) => {
      assert.isUndefined(returnPath(admin, wanted))
    })

  test('[B3] a path outside the site is refused as a return path')
    .with([
      '/',
      '/administrator',
      '/admin.',
      '/admin%2fx',
      '/ADMIN/',
      '/api/utensils',
      '/admin/../x',
      '/admin/../api/utensils',
      '/admin/%2e%2e/api',
      '/admin/%2E%2e/api',
      '/admin/.%2e/api',
      '/admin/x/../../api',
      '/x/admin/',
      '?next=/admin/',
      '#/admin/',
      '/admin/ü',
      '/admin/a b',
      '/admin/\0',
      '/admin/\x7f',
      '/admin/%zz',
      '/admin/%',
    ])
    .run(({ assert }, wanted) => {
      assert.isUndefined(returnPath(admin, wanted))
    })

  test('[B3] the login and logout pages are refused in any notation')
    .with([
      '/admin/login',
      '/admin/logout',
      '/admin/login/',
      '/admin/logout/',
      '/admin/logout?confirm=1',
      '/admin/%6cogout',
      '/admin/%6Cog%6fut/',
      '/admin/x/../logout',
      '/%61dmin/logout',
    ])
    .run(({ assert }, wanted) => {
      assert.isUndefined(returnPath(admin, wanted))
    })

  test('[B3] a value that is not a text is refused as a return path', ({ assert }) => {
    for (const wanted of [undefined, null, '', 1, true, {}, ['/admin/'], { a: '/admin/' }]) {
      assert.isUndefined(returnPath(admin, wanted))
    }
  })

  test('[B3] a very long return path is refused without delay', ({ assert }) => {
    const long = `/admin/${'x'.repeat(2000)}`
    assert.equal(returnPath(admin, long), long)
    for (const part of ['x', '/', '/..', '%2f', '/.']) {
      assert.isUndefined(returnPath(admin, `/admin/${part.repeat(1_000_000)}`))
    }
  })

  test('[B1, B3] for a site at the root every path is accepted, but no other host', ({
    assert,
  }) => {
    for (const wanted of ['/', '/Utensil/?page=2', '/x/login']) {
      assert.equal(returnPath(root, wanted), wanted)
    }
    for (const wanted of [
      '//evil.test',
      '/.//evil.test',
      '/..//evil.test',
      '/x/..//evil.test',
      '/%2e//evil.test',
      '/\\evil.test',
      '/login',
      '/logout/',
    ]) {
      assert.isUndefined(returnPath(root, wanted), wanted)
    }
  })

  test('[B1, B3, B6] for a site at the root the API, the docs and the health checks are refused')
    .with([
      '/api',
      '/api/utensils',
      '/api/utensils?page=2',
      '/%61pi/utensils',
      '/x/../api/utensils',
      '/docs',
      '/docs/',
      '/docs/openapi.json',
      '/health/ready',
      '/h%65alth',
    ])
    .run(({ assert }, wanted) => {
      assert.isUndefined(returnPath(root, wanted))
      assert.equal(
        returnPath(admin, `/admin${wanted.replace('/x/..', '')}`)?.slice(0, 7),
        '/admin/'
      )
    })

  test('[B1, B3] a path such as /apis, /docsets or /healthy is accepted', ({ assert }) => {
    for (const wanted of ['/apis/', '/docsets/', '/healthy', '/Utensil/api']) {
      assert.equal(returnPath(root, wanted), wanted)
    }
  })

  test('[B3] random return paths never lead a browser out of the site', ({ assert }) => {
    const origin = 'http://atrium.test'
    const part = fc.constantFrom(
      ...['/', '\\', '.', '..', '//', '%2f', '%2e', '%5c', '@', ':', '?', '#', '\t', '\n', ' '],
      ...['admin', 'evil.test', 'http:', 'javascript:', 'login', '\0', 'é', '%']
    )
    const path = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.array(part, { maxLength: 8 }).map((parts) => `/admin/${parts.join('')}`),
      fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join('')}`)
    )
    fc.assert(
      fc.property(path, (wanted) => {
        for (const site of [admin, root]) {
          const chosen = returnPath(site, wanted)
          if (chosen === undefined) continue
          const url = new URL(chosen, `${origin}${site.mountPath}/login`)
          assert.equal(url.origin, origin, chosen)
          assert.isTrue(`${url.pathname}/`.startsWith(`${site.mountPath}/`), chosen)
          assert.match(chosen, /^[\x21-\x7e]+$/)
        }
      }),
      { numRuns: runs(2000) }
    )
  })
})

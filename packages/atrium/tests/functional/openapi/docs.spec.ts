import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { defineConfig } from '#crud/define_config'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { pretendProduction } from '#tests/helpers/production'
import { issueToken } from '#tests/helpers/tokens'

/** URLs that the page loads. */
function loaded(text: string): string[] {
  return [...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, url]) => url)
}

test.group('The page of the API', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    const config = app.config.get<object>('crud')
    const before = useTokenAuthorizer(new TokenAuthorizer())
    return () => {
      app.config.set('crud', config)
      useTokenAuthorizer(before)
    }
  })

  function behindToken(...groups: Array<'docs' | 'openapi'>) {
    const config = app.config.get<any>('crud')
    const closed = groups.map((name) => [name, { ...config[name], access: 'token' }])
    app.config.set('crud', { ...config, ...Object.fromEntries(closed) })
  }

  test('[Q1] in production the API schema and the documentation page require a token', async ({
    assert,
    cleanup,
  }) => {
    cleanup(pretendProduction())
    app.config.set('crud', defineConfig())
    for (const path of ['/api/openapi.json', '/docs']) {
      const { status, text } = await get(path)
      assert.equal(status, 401)
      assert.notInclude(text, 'utensils')
    }
  })

  test('[Q1] the page has no inline code and a strict content security policy', async ({
    assert,
  }) => {
    const { status, headers, text } = await get('/docs')
    assert.equal(status, 200)
    const policy = headers.get('content-security-policy')!
    assert.include(policy, "default-src 'none'")
    assert.include(policy, "connect-src 'self'")
    assert.notMatch(policy, /unsafe|\*|https?:/)
    assert.notMatch(text, /<script(?![^>]* src=)|<style| style=| on\w+=/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.include(text, 'data-schema="/api/openapi.json"')
    assert.include(text, 'data-locked=""')
  })

  test('[Q1] the page loads local, hashed and cacheable files only', async ({ assert }) => {
    const page = await get('/docs')
    const urls = loaded(page.text)
    assert.lengthOf(urls, 4)
    for (const url of urls) {
      assert.match(url, /^\/docs\/[\w-]+\.[0-9a-f]{8}\.(js|css|svg)$/)
      const { status, headers, text } = await get(url)
      assert.equal(status, 200)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      if (url.endsWith('.css')) assert.notMatch(text, /@import|url\(\s*['"]?(https?:)?\/\//)
    }
    const missing = await get('/docs/other.js')
    assert.equal(missing.status, 404)
    assert.match(missing.headers.get('content-type')!, /^application\/problem\+json/)
  })

  test('[Q1] if the API schema requires a token, the page prompts for a token', async ({
    assert,
  }) => {
    behindToken('openapi')
    const { status, text } = await get('/docs')
    assert.equal(status, 200)
    assert.include(text, 'data-locked="/api/openapi.json"')
  })

  test('[Q1] if the page requires a token, a form prompts for a token', async ({ assert }) => {
    behindToken('docs', 'openapi')
    const { status, headers, text } = await get('/docs')
    assert.equal(status, 401)
    assert.match(headers.get('www-authenticate')!, /^Bearer/)
    assert.match(headers.get('content-type')!, /^text\/html/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.include(text, 'data-locked="/docs"')

    const { headers: authorization } = await issueToken(await makeUser('ada'))
    const admitted = await get('/docs', { headers: authorization })
    assert.equal(admitted.status, 200)
  })

  test('[Q1] the home page links to the API page', async ({ assert }) => {
    const home = await get('/')
    assert.include(home.text, 'href="/docs"')
  })
})

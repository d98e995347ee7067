import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { defineConfig, resources } from '#crud'
import { docsPath, registerDocsRoutes } from '#crud/docs/docs_page'
import { registerSchemaRoute, schemaPath } from '#crud/openapi/schema_route'

/** Records the registered paths. */
function router() {
  const paths: string[] = []
  const route = { as: () => route, use: () => route }
  const get = (path: string) => {
    paths.push(path)
    return route
  }
  return { paths, router: { get } as any }
}

test.group('Routes of the API schema and its page', (group) => {
  group.each.setup(() => {
    const config = app.config.get('crud')
    return () => app.config.set('crud', config)
  })

  test('[Q1] API schema and API page can be disabled: {openapi} and {docs}')
    .with([
      { openapi: true, docs: true, wanted: ['/v1/openapi.json', '/help', '/help/:file'] },
      { openapi: true, docs: false, wanted: ['/v1/openapi.json'] },
      /* The page has nothing to show without the schema. */
      { openapi: false, docs: true, wanted: [] },
      { openapi: false, docs: false, wanted: [] },
    ])
    .run(({ assert }, { openapi, docs, wanted }) => {
      const config = defineConfig({
        prefix: 'v1',
        openapi: { enabled: openapi },
        docs: { enabled: docs, path: '/help' },
      })
      app.config.set('crud', config)
      const fake = router()
      registerSchemaRoute(fake.router, resources)
      registerDocsRoutes(fake.router)
      assert.deepEqual(fake.paths, wanted)
      assert.equal(schemaPath(), wanted[0])
      assert.equal(docsPath(), wanted[1])
    })
})

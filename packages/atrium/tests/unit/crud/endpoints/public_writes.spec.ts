import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { defineConfig, EndpointCreator, type CrudOptions } from '#crud'
import { publicWritesByDefault, undecided } from '#crud/endpoints/public_writes'
import { Reel, Utensil } from '#tests/fixtures/shop'

function reel(options: CrudOptions = {}): EndpointCreator {
  return new EndpointCreator({ model: Reel, ...options })
}

test.group('publicWritesByDefault()', (group) => {
  group.each.setup(() => {
    const before = app.config.get('crud')
    app.config.set('crud', defineConfig({ access: 'public' }))
    return () => app.config.set('crud', before)
  })

  test('[P10] models with writes that are public by default are listed: {$self}')
    .with([
      {},
      { access: { create: 'token' } },
      { access: { create: 'token', update: 'token', read: 'public' } },
      { includedMethods: ['read', 'delete'] },
    ] as CrudOptions[])
    .run(({ assert }, options) => {
      assert.deepEqual(publicWritesByDefault([reel(options)]), ['Reel'])
    })

  test('[P10] models with an access option, or without writes, are not listed: {$self}')
    .with([
      { access: 'public' },
      { access: 'token' },
      { access: { create: 'public', update: 'token', delete: 'token' } },
      { includedMethods: ['read', 'read_multi'] },
      { includedMethods: ['delete'], middleware: { delete: [(_ctx, next) => next()] } },
    ] as CrudOptions[])
    .run(({ assert }, options) => {
      assert.isEmpty(publicWritesByDefault([reel(options)]))
    })

  test('[P10] each model is listed once, and none if the default access is token or null', ({
    assert,
  }) => {
    const utensil = new EndpointCreator({ model: Utensil })
    const endpoints = [reel(), utensil, reel({ path: 'again' })]
    assert.deepEqual(publicWritesByDefault(endpoints), ['Reel', 'Utensil'])
    app.config.set('crud', defineConfig({ access: 'token' }))
    assert.isEmpty(publicWritesByDefault(endpoints))
    /* Public in development alone */
    app.config.set('crud', defineConfig({ access: null }))
    assert.isEmpty(publicWritesByDefault(endpoints))
  })

  test('[P10] a model whose only public write is a custom route is listed', ({ assert }) => {
    class Own extends EndpointCreator {
      addRoutesToRouter() {
        super.addRoutesToRouter()
        this.addCustomRoute({ method: 'POST', path: '/import', handler: () => null })
      }
    }
    const options = { model: Reel, includedMethods: ['read'] as const }
    assert.deepEqual(publicWritesByDefault([new Own(options)]), ['Reel'])
    assert.isEmpty(publicWritesByDefault([new Own({ ...options, access: { update: 'token' } })]))
  })
})

test.group('Models without a decision about access', (group) => {
  group.each.setup(() => {
    const before = app.config.get('crud')
    return () => app.config.set('crud', before)
  })

  function decide(changes: object) {
    app.config.set('crud', { ...defineConfig(), ...changes })
  }

  test('[P10] models that require a token only by default are listed', ({ assert }) => {
    const endpoints = [
      reel(),
      reel({ path: 'again' }),
      new EndpointCreator({ model: Utensil, access: { create: 'public' } }),
    ]
    decide({ access: 'token', isAccessDecided: false })
    assert.deepEqual(undecided(endpoints), ['Reel', 'Utensil'])
    assert.isEmpty(undecided([reel({ access: 'token' }), reel({ access: 'public' })]))
  })

  test('[P10] models without a decision are listed in development too, and none if the default access is configured', ({
    assert,
  }) => {
    decide({ access: 'public', isAccessDecided: false })
    assert.deepEqual(undecided([reel()]), ['Reel'])
    decide({ access: 'token', isAccessDecided: true })
    assert.isEmpty(undecided([reel()]))
  })
})

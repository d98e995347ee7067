import { test } from '@japa/runner'
import * as face from '#crud'

test.group('#crud', () => {
  test('[P1] one import provides everything for a model, a routes file or the configuration', ({
    assert,
  }) => {
    const names = ['Crud', 'EndpointCreator', 'FilterConfig', 'LucidCrud', 'crudRouter']
    const others = ['ConfigurationError', 'Problem', 'RuntimeError', 'ValueError']
    assert.includeMembers(Object.keys(face), [...names, ...others, 'defineConfig', 'resources'])
    assert.isTrue(names.every((name) => typeof (face as any)[name] === 'function'))
  })
})

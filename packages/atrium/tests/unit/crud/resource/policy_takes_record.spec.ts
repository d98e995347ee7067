import { test } from '@japa/runner'
import type { Policy } from '#crud'
import { policyTakesRecord } from '#crud/resource/resource_options'

const all = (...parts: unknown[]) => parts.length > 0
const methods = {
  two(_actor: unknown, _action: unknown) {
    return true
  },
  four(_actor: unknown, _action: unknown, _resource: unknown, _record: unknown) {
    return true
  },
}

test.group('Policies with and without a record parameter', () => {
  test('[P14] a policy without a fourth parameter does not require the record: {name}')
    .with([
      { name: 'none', policy: () => true },
      { name: 'an arrow', policy: (actor: any) => actor.kind !== 'none' },
      { name: 'three', policy: (_a: any, action: any, _r: any) => action === 'read' },
      { name: 'async', policy: async (_a: any, action: any) => action === 'read' },
      { name: 'a function', policy: function (_a: any) { return true } }, // prettier-ignore
      { name: 'a method', policy: methods.two },
      { name: 'destructured', policy: ({ kind }: any) => kind === 'admin' },
    ])
    .run(({ assert }, { policy }) => {
      assert.isFalse(policyTakesRecord(policy as Policy))
    })

  test('[P14] a policy whose function can receive a fourth argument requires the record: {name}')
    .with([
      { name: 'four', policy: (_a: any, _b: any, _c: any, record: any) => !record?.secret },
      { name: 'rest', policy: (...given: any[]) => all(...given) },
      { name: 'rest behind', policy: (_a: any, ...given: any[]) => all(...given) },
      { name: 'default', policy: (_a: any, _b = 1, _c = Math.max(2, 3), record?: any) => !record },
      { name: 'a default of its own', policy: (_a: any, _b: any, _c: any, record = {}) => !record },
      { name: 'a method', policy: methods.four },
      { name: 'bound', policy: all.bind(null) },
      {
        name: 'arguments',
        policy: function () {
          return all(...arguments)
        },
      },
      { name: 'a proxy', policy: new Proxy(all, {}) },
    ])
    .run(({ assert }, { policy }) => {
      assert.isTrue(policyTakesRecord(policy as Policy))
    })
})

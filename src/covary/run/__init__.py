"""The loop that sends requests and the transports it sends them with. Import from the modules named here.

- `covary.run.plan`: `run_plan`, the synchronous entry; `transport_of`
- `covary.run.execute`: `execute`, `Limits`, `Outcome`, `Work`
- `covary.run.budget`: `Budget`, `Price`; `covary.run.progress`: `progress_for`
- `covary.run.transport`: the protocol; `http`, `embedded`, `fake` keep it
"""

"""The 9B duplex model, ours: MiniCPM-o 4.5's structure, and what Realtime-Venus adds to it.

    media -> vision, audio ->\\
                               language -> decode rules -> talker -> vocoder -> speech
    text  -> serialization  ->/

The only place that imports torch. Knows no session, no gRPC and no skill; `cloud.frontends.venus` wraps it.
"""
